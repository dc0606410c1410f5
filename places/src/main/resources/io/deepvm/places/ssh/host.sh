# DeepVM on a host that ssh reaches. Usage: sh host.sh RUN VERB [ARGUMENT]...
# Under the folder of this file: files/SHA256, runtimes/SHA256/, checkpoints/RUN/, allowed/RUN, runs/RUN/nodes/NODE/.
# A node is the process whose id is in its claim. All of its processes carry DEEPVM_TAG=RUN/NODE.
# It ends at the time in its lease (seconds since boot) unless a coordinator renews that.
umask 077
LC_ALL=C
export LC_ALL
unset DEEPVM_TAG
self=$0
root=$(cd "$(dirname "$0")" && pwd) || exit 1
run=$1
verb=$2
shift 2

# Sets up to the seconds since boot, which no one can set back.
since_boot() {
  read -r up idle </proc/uptime
  up=${up%%.*}
}

# Whether the process PID@START runs.
alive() {
  stat=
  { read -r stat <"/proc/${1%@*}/stat"; } 2>/dev/null || return 1
  began=${1#*@}
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [ "$1" != Z ] && [ "$1" != X ] && [ "${20}" = "$began" ]
}

# Sets who to the process that is the node; fails if there never was one.
holder() {
  who=
  { read -r who <"nodes/$1/claim"; } 2>/dev/null
  [ -n "$who" ]
}

tagged() {
  grep -lsFxz "DEEPVM_TAG=$run/$1" /proc/[0-9]*/environ 2>/dev/null
}

# Kills all processes of the node; fails if some remain.
kill_node() {
  tries=0
  while
    all=$(tagged "$1")
    [ -n "$all" ]
  do
    [ "$tries" -lt 50 ] || return 1
    [ "$tries" -eq 0 ] || sleep 0.1
    tries=$((tries + 1))
    for file in $all; do
      id=${file#/proc/}
      kill -KILL "${id%/environ}" 2>/dev/null
    done
  done
  return 0
}

# Makes sure that no process becomes the node that is not the node by now.
forbid() {
  mkdir -p "nodes/$1"
  echo nobody >"nodes/$1/claim.$$" && ln "nodes/$1/claim.$$" "nodes/$1/claim" 2>/dev/null
  rm -f "nodes/$1/claim.$$"
}

renew() {
  since_boot
  echo "$((up + $2))" >"nodes/$1/lease"
}

state() {
  if ! holder "$1"; then
    echo none
  elif [ "$who" = nobody ]; then
    echo nobody
  elif alive "$who"; then
    echo "lives $who"
  else
    echo "ended $who"
  fi
}

# Prints another node that lives on this host.
occupant() {
  for claim in "$root"/runs/*/nodes/*/claim; do
    { read -r other <"$claim"; } 2>/dev/null || continue
    if [ "$other" != nobody ] && alive "$other"; then
      claim=${claim%/claim}
      node=${claim##*/}
      claim=${claim%/nodes/*}
      echo "${claim##*/}/$node"
      return
    fi
  done
}

# Becomes the command if no other process has the claim of this folder.
claiming='
id() { me="$$@${20}"; }
read -r stat </proc/$$/stat && id ${stat##*) } && echo "$me" >"claim.$$" || exit 1
ln "claim.$$" claim 2>/dev/null
rm -f "claim.$$"
read -r holder <claim && [ "$holder" = "$me" ] || exit 0
exec "$@"
'

# Starts the node NODE with a lease of SECONDS; standard input sets its variables and its command.
start_node() {
  name=$1
  lease=$2
  launch=$(cat)
  exec 9>"$root/lock"
  flock -w 30 9 || { echo "failed another start holds the lock of the host"; return; }
  if ! holder "$name"; then
    busy=$(occupant)
    if [ -n "$busy" ]; then
      echo "busy $busy"
      return
    fi
    mkdir -p "nodes/$name" && renew "$name" "$lease" || { echo "failed its disk is full"; return; }
    (
      cd "nodes/$name" || exit 1
      runtime=
      eval "$launch"
      PATH="$root/runtimes/$runtime/bin:$PATH"
      DEEPVM_TAG="$run/$name"
      DEEPVM_FOLDER=$PWD
      export PATH DEEPVM_TAG DEEPVM_FOLDER
      exec 9>&-
      setsid sh -c "$claiming" node "$@" </dev/null >>agent.log 2>&1 &
    )
    tries=0
    while ! holder "$name" && [ "$tries" -lt 200 ]; do
      sleep 0.05
      tries=$((tries + 1))
    done
    if ! holder "$name"; then
      forbid "$name"
      kill_node "$name"
      if ! holder "$name" || [ "$who" = nobody ]; then
        echo "failed its process did not start: $(tail -n 1 "nodes/$name/agent.log" 2>/dev/null)"
        return
      fi
    fi
    setsid sh "$self" "$run" guard "$name" </dev/null >/dev/null 2>&1 9>&- &
  fi
  state "$name"
}

# Ends the node at the end of its lease, and what it leaves behind.
guard() {
  holder "$1" || return
  guarded=$who
  blank=0
  while alive "$guarded"; do
    sleep 1
    until=
    since_boot
    { read -r until <"nodes/$1/lease"; } 2>/dev/null
    if [ -z "$until" ]; then
      # It is being written, or the disk is full.
      blank=$((blank + 1))
      [ "$blank" -lt 60 ] || break
    elif [ "$up" -ge "$until" ]; then
      echo "The lease ran out." >>"nodes/$1/agent.log"
      break
    else
      blank=0
    fi
  done
  kill_node "$1"
}

# Answers each line "LEASE NODE..." with a line a node, and renews the leases of those that live.
# A LEASE of 0 renews nothing.
watch() {
  while read -r line; do
    # shellcheck disable=SC2086
    set -- $line
    lease=$1
    shift
    for node; do
      if holder "$node" && [ "$who" != nobody ] && alive "$who"; then
        [ "$lease" -eq 0 ] || renew "$node" "$lease"
        port=
        { read -r port <"nodes/$node/port"; } 2>/dev/null
        echo "$node lives ${port:-0}"
      else
        echo "$node ended"
      fi
    done
    echo .
  done
}

end_node() {
  forbid "$1"
  if kill_node "$1"; then
    echo gone
  else
    echo lives
  fi
}

# Prints each log of the node: a line "NAME BYTES" and its bytes.
logs() {
  cd "nodes/$1" 2>/dev/null || return
  for file in *.log; do
    [ -f "$file" ] || continue
    size=$(($(wc -c <"$file")))
    echo "$file $size"
    head -c "$size" "$file"
  done
}

# Prints which of the contents on standard input are not here.
missing() {
  while read -r sum rest; do
    [ -e "$root/files/$sum" ] || echo "$sum"
  done
}

put() {
  mkdir -p "$root/files" || return 1
  cat >"$root/files/$1.$$" || { rm -f "$root/files/$1.$$"; return 1; }
  sum=$(sha256sum <"$root/files/$1.$$")
  if [ "${sum%% *}" = "$1" ]; then
    mv "$root/files/$1.$$" "$root/files/$1"
  else
    rm -f "$root/files/$1.$$"
    echo "what arrived is not what was sent" >&2
    return 1
  fi
}

# Makes the runtime of the contents on standard input: lines "SHA256 NAME".
assemble() {
  [ -e "$root/runtimes/$1" ] && return
  fresh="$root/runtimes/$1.$$"
  mkdir -p "$fresh/lib" "$fresh/bin" || return 1
  java=java
  cat >"$fresh/manifest" || return 1
  while read -r sum name; do
    if [ "$name" = jre.tar.gz ]; then
      mkdir "$fresh/jre" && tar -xzf "$root/files/$sum" -C "$fresh/jre" || return 1
      java='"${0%/*}/../jre/bin/java"'
    else
      ln "$root/files/$sum" "$fresh/lib/$name" || return 1
    fi
  done <"$fresh/manifest"
  {
    echo '#!/bin/sh'
    echo "exec $java -cp \"\${0%/*}/../lib/*\" \"\$@\""
  } >"$fresh/bin/deepvm-java"
  chmod 700 "$fresh/bin/deepvm-java"
  mv -T "$fresh" "$root/runtimes/$1" 2>/dev/null || rm -rf "$fresh"
  [ -e "$root/runtimes/$1" ]
}

# Puts a content under a name into the run's folder.
place() {
  [ -e "$2" ] || { cp "$root/files/$1" "$2.$$" && mv "$2.$$" "$2"; }
}

# Unpacks the working folder once.
unpack() {
  [ -e work.done ] && return
  rm -rf work && mkdir work && tar -xzf "$root/files/$1" -C work && : >work.done && rm -f "$root/files/$1"
}

# Runs the command on standard input in the working folder, once.
setup() {
  command=$(cat)
  exec 9>setup.lock
  flock 9
  [ -e setup.done ] && return
  mkdir -p work
  if (cd work && exec 9>&- && sh -c "$command") </dev/null >setup.log 2>&1; then
    : >setup.done
  else
    code=$?
    tail -n 3 setup.log >&2
    return "$code"
  fi
}

facts() {
  echo "machine $(uname -m)"
  echo "libc $(getconf GNU_LIBC_VERSION 2>/dev/null || echo other)"
  echo "now $(date +%s)"
  # shellcheck disable=SC2046
  set -- $(df -Pk "$root" | tail -n 1)
  echo "free $4"
  echo "cores $(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 0)"
  echo "gpus $(nvidia-smi -L 2>/dev/null | grep -c '^GPU')"
  lacks=
  for tool in setsid setpriv flock grep tar sha256sum head; do
    command -v "$tool" >/dev/null 2>&1 || lacks="$lacks $tool"
  done
  echo "lacks$lacks"
  if : >"$root/probe.$$"; then echo "writes yes"; else echo "writes no"; fi 2>/dev/null
  rm -f "$root/probe.$$"
  busy=$(occupant)
  echo "busy ${busy:-no}"
}

# Lets the key on standard input log in, by the file FILE, until the run ends.
allow() {
  file=$1
  case $file in /*) ;; *) file=$HOME/$file ;; esac
  key=$(cat)
  grep -qsFx "$key" "$file" && return
  mkdir -p "${file%/*}" "$root/allowed" && echo "$file" >"$root/allowed/$run" || return 1
  # The last line may lack its end.
  if [ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ]; then echo >>"$file"; fi
  echo "$key" >>"$file"
}

# Takes the keys of the run out of the file again.
disallow() {
  list=$root/allowed/$run
  { read -r file <"$list"; } 2>/dev/null || return 0
  grep -v " deepvm:$run\$" "$file" >"$list.$$"
  cat "$list.$$" >"$file" && rm -f "$list" "$list.$$"
  rmdir "$root/allowed" 2>/dev/null
  return 0
}

# Prints a line for each node that is here: run, node, processes, seconds of the lease left, owner.
list() {
  since_boot
  for folder in "$root"/runs/*/nodes/*/; do
    folder=${folder%/}
    node=${folder##*/}
    folder=${folder%/nodes/*}
    [ -d "$folder/nodes/$node" ] || continue
    run=${folder##*/}
    count=$(($(tagged "$node" | wc -l)))
    [ "$count" -gt 0 ] || continue
    until=$up
    { read -r until <"$folder/nodes/$node/lease"; } 2>/dev/null
    owner=unknown
    { read -r owner <"$folder/owner"; } 2>/dev/null
    echo "$run $node $count $((${until:-$up} - up)) $owner"
  done
}

if [ "$verb" = list ]; then
  list
  exit 0
elif [ "$verb" = facts ]; then
  facts
  exit 0
elif [ "$verb" = missing ] || [ "$verb" = put ] || [ "$verb" = assemble ]; then
  "$verb" "$@"
  exit
elif [ "$verb" = open ]; then
  mkdir -p "$root/runs/$run/nodes" "$root/checkpoints/$run" && echo "$1" >"$root/runs/$run/owner"
  exit
elif [ "$verb" = allow ] || [ "$verb" = disallow ]; then
  "$verb" "$@"
  exit
fi
if ! cd "$root/runs/$run" 2>/dev/null; then
  echo none
  exit 0
fi
case $verb in
  start) start_node "$@" ;;
  end) end_node "$@" ;;
  state | guard | watch | logs | place | unpack | setup) "$verb" "$@" ;;
  clear)
    for folder in nodes/*/; do
      [ -d "$folder" ] || continue
      node=${folder#nodes/}
      end_node "${node%/}" | grep -q gone || { echo lives; exit 0; }
    done
    cd "$root" && rm -rf "runs/$run"
    rmdir "checkpoints/$run" 2>/dev/null
    echo gone
    ;;
  *)
    echo "unknown verb $verb" >&2
    exit 64
    ;;
esac
