# Keeps the coordinator of a run on a host. Usage: sh -c SCRIPT coordinator FOLDER ID VERB [ARGUMENT]...
# Under FOLDER/coordinators/ID: the run's folder, the program, process (PID@START), exit (a code).
umask 077
LC_ALL=C
export LC_ALL
root=$(cd "$1" 2>/dev/null && pwd) || { echo none; exit 0; }
home=$root/coordinators/$2
verb=$3
shift 3

# Whether the process PID@START runs.
alive() {
  stat=
  { read -r stat <"/proc/${1%@*}/stat"; } 2>/dev/null || return 1
  began=${1#*@}
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [ "$1" != Z ] && [ "$1" != X ] && [ "${20}" = "$began" ]
}

running() {
  process=
  { read -r process <"$home/process"; } 2>/dev/null
  [ -n "$process" ] && alive "$process"
}

state() {
  code=
  { read -r code <"$home/exit"; } 2>/dev/null
  if [ ! -d "$home" ]; then
    echo none
  elif running; then
    echo running
  elif [ -n "$code" ]; then
    echo "ended $code"
  else
    echo dead
  fi
}

# Runs a command until it ends or nobody waits for it any more.
while_asked() {
  exec 3<&0
  "$@" </dev/null &
  job=$!
  { cat <&3; kill "$job"; } >/dev/null 2>&1 &
  guard=$!
  wait "$job"
  code=$?
  kill "$guard" 2>/dev/null
  return "$code"
}

# Becomes the process of the coordinator, and writes down how it ended.
coordinating='
id() { me="$$@${20}"; }
read -r stat </proc/$$/stat && id ${stat##*) } && echo "$me" >process.new && mv process.new process || exit 1
name=$1
shift
./deepvm "$@" >"$name/report.json" 2>>"$name/console.log"
echo $? >exit.new && mv exit.new exit
'

# Unpacks the run's folder, and makes the program of a runtime.
put() {
  runtime=$root/runtimes/$1
  mkdir -p "$home" && tar -xzf - -C "$home" && cd "$home" || return 1
  {
    echo '#!/bin/sh'
    echo "exec '$runtime/bin/deepvm-java' -XX:+UseSerialGC '-Ddeepvm.runtime=$runtime' io.deepvm.cli.Main \"\$@\""
  } >deepvm.new
  chmod 700 deepvm.new && mv deepvm.new deepvm
}

# Starts the coordinator of the run NAME; the other words are its command.
start() {
  name=$1
  shift
  cd "$home" || return 1
  exec 9>lock
  flock -w 30 9 || { echo "another start holds the lock" >&2; return 1; }
  if running; then
    echo running
    return
  fi
  rm -f exit process "$name/port"
  setsid sh -c "$coordinating" coordinator "$name" "$@" </dev/null >/dev/null 2>&1 9>&- &
  tries=0
  while [ ! -e process ] && [ "$tries" -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
  done
  state
}

case $verb in
  state) state ;;
  put) put "$@" ;;
  size)
    if [ -e "$home/$1/console.log" ]; then wc -c <"$home/$1/console.log"; else echo 0; fi
    ;;
  start) start "$@" ;;
  call) cd "$home" && exec ./deepvm "$@" </dev/null ;;
  up)
    if [ -e "$home/$1/port" ]; then echo up; else state; fi
    ;;
  serve) cd "$home" && while_asked ./deepvm "$@" ;;
  follow)
    # From a byte of the console on, until the coordinator ends.
    cd "$home" || exit 1
    if running; then
      while_asked tail -c "+$(($2 + 1))" -f --pid="${process%@*}" "$1/console.log"
    else
      tail -c "+$(($2 + 1))" "$1/console.log"
    fi
    ;;
  fetch)
    # Keys, tokens and the working folder stay there.
    cd "$home/$1" && tar -czf - $(ls -d run.json events.jsonl console.log report.json nodes 2>/dev/null)
    ;;
  kill)
    # With the connections that it holds.
    if running; then kill -KILL "-${process%@*}" 2>/dev/null; fi
    if [ -d "$home" ]; then echo killed; else echo none; fi
    ;;
  forget) running || rm -rf "$home" ;;
  *)
    echo "unknown verb $verb" >&2
    exit 64
    ;;
esac
