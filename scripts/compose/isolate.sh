#!/bin/sh
# Runs a command as a container restricts it: a user without root, no capabilities, no new privileges, and a file system of its
# own view, which is read-only but for what is named. Linux, as root, in a new mount namespace:
#
#   unshare --mount sh isolate.sh <user> <group> <folders in memory> <writable folders> <folders to keep> <closed folders> <command>...
#
# Folders are separated by colons.
set -eu

user=$1 group=$2 memory=$3 writable=$4 kept=$5 closed=$6
shift 6
IFS=:

mount --make-rprivate /

# Some folders are closed to others, as the home of root is. What is needed of them is mounted into empty ones.
mount -t tmpfs -o mode=755 tmpfs /mnt
for folder in $kept; do
  mkdir -p "/mnt$folder"
  mount --bind "$folder" "/mnt$folder"
done
for place in $closed; do mount -t tmpfs -o mode=755 tmpfs "$place"; done
for folder in $kept; do
  mkdir -p "$folder"
  mount --bind "/mnt$folder" "$folder"
  mount -o remount,bind,ro "$folder"
done
for place in $closed; do mount -o remount,bind,ro "$place"; done

for folder in $writable; do mount --bind "$folder" "$folder"; done
# As Docker mounts them.
for folder in $memory; do mount -t tmpfs -o mode=1777,noexec,nosuid,nodev tmpfs "$folder"; done
mount -o remount,bind,ro /mnt
mount -o remount,bind,ro /

# The home of root is that of this script only.
unset HOME
[ -z "${ISOLATED_HOME:-}" ] || export HOME="$ISOLATED_HOME"
unset ISOLATED_HOME
exec setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
