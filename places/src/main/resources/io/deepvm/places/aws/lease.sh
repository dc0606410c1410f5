# Ends this machine when no coordinator has renewed it for a while. Runs as root, from its boot.
# Usage: sh lease.sh FOLDER BOOT LEASE GRACE MOST BOOT_BY END_BY
#   FOLDER   DeepVM's folder; coordinators renew FOLDER/runs/*/nodes/*/lease (seconds since boot)
#   BOOT     seconds that the machine lives if no coordinator ever reaches it
#   LEASE    the longest renewal in seconds
#   GRACE    seconds that it lives after the end of the last renewal
#   MOST     seconds that it lives in any case
#   BOOT_BY  when BOOT ends by the wall clock: the machine was paid before this script began
#   END_BY   when it ends in any case, by the wall clock
folder=$1
boot=$2
lease=$3
grace=$4
most=$5
boot_by=$6
end_by=$7
read -r up idle </proc/uptime
began=${up%%.*}
while :; do
  read -r up idle </proc/uptime
  up=${up%%.*}
  now=$(date +%s)
  until=$((began + boot))
  [ "$now" -lt "$boot_by" ] || until=0
  for file in "$folder"/runs/*/nodes/*/lease; do
    t=
    { read -r t <"$file"; } 2>/dev/null
    case $t in
      '' | *[!0-9]*) continue ;;
    esac
    # A renewal reaches no further than its own length.
    [ "$t" -le $((up + lease)) ] || t=$((up + lease))
    [ $((t + grace)) -le "$until" ] || until=$((t + grace))
  done
  if [ "$up" -ge "$until" ] || [ "$up" -ge $((began + most)) ] || [ "$now" -ge "$end_by" ]; then
    shutdown -h now || poweroff -f || halt -f -p
  fi
  sleep 5
done
