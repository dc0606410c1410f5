# Boots an instance: a namespace of network and mounts with the user data's lease and a real sshd.
# Usage: sh guest.sh FOLDER ADDRESS
folder=$1
address=$2
mkdir -p "$folder/opt" "$folder/run/sshd" "$folder/bin"
cat >"$folder/bin/shutdown" <<END
#!/bin/sh
# An instance that switches itself off; a time in the future is left to the lease.
[ "\$2" = now ] && : >"$folder/off"
exit 0
END
chmod 755 "$folder/bin/shutdown"
mount --bind "$folder/opt" /opt || exit 1
mount --bind "$folder/run" /run || exit 1
PATH=$folder/bin:$PATH
export PATH
python3 "$folder/metadata.py" "$folder" >/dev/null 2>&1 &
sh "$folder/bootcmd.sh"
cat >"$folder/sshd_config" <<END
Port 22
ListenAddress $address
HostKey $folder/host-key
AuthorizedKeysFile $folder/authorized
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
MaxStartups 100
SetEnv GLOO_SOCKET_IFNAME=eth0
END
exec /usr/sbin/sshd -D -e -f "$folder/sshd_config"
