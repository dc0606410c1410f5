told= status=0 pids= i=0 since=0
trap 'told=1; kill -TERM $pids 2>/dev/null || :' TERM
while [ "$i" -lt "$LOCAL_WORLD_SIZE" ]; do
  LOCAL_RANK=$i RANK=$((FIRST_RANK + i)) "$@" &
  pids="$pids $!" i=$((i + 1))
done
left=$pids
while [ -n "$left" ]; do
  sleep 1 & wait $! || :
  running=
  for pid in $left; do
    if kill -0 $pid 2>/dev/null; then running="$running $pid"; continue; fi
    code=0; wait $pid || code=$?
    if [ "$status" -eq 0 ]; then status=$code; fi
  done
  left=$running
  if [ "$status" -ne 0 ] && [ -z "$told" ] && [ -n "$left" ]; then
    case $since in 0) kill -TERM $left || : ;; 30) kill -KILL $left || : ;; esac
    since=$((since + 1))
  fi
done
if [ -n "$told" ] && [ "$status" -eq 0 ]; then status=143; fi
exit "$status"
