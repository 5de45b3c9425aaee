#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh - build the shm transport for aarch64, run its stress tests under qemu
#
#	tests/arm/run.sh [BUILD-FOLDER]		(build/check)
#
# Needs gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user; without them
# it says so and exits 77. It shows that the code builds for aarch64, without
# warnings, and that word sizes, alignment and atomics are right there. It does
# not show that fences are: qemu on x86 runs every load and store in the order
# of x86. tests/model/room.pml and doc/design/shm.md argue the fences.
#
# Facts with killed processes are left out: qemu makes up /proc/self/stat, so a
# forked process has another start time for itself than for others, and counts
# as dead while it lives.
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/check}
cc=aarch64-linux-gnu-gcc
for tool in $cc qemu-aarch64; do
	command -v $tool >/dev/null || {
		echo "no $tool: apt-get install gcc-aarch64-linux-gnu" \
			"libc6-dev-arm64-cross qemu-user"
		exit 77
	}
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
flags="-std=gnu11 -O2 -Wall -Wextra -Wno-unused-parameter -Werror -D_GNU_SOURCE
	-Itests/arm -Iinclude -I. -I$build/libatmi -idirafter /usr/include"
for f in tests/arm/crc32.c libubf/base/library.c libubf/base/threadmem.c libubf/base/jsonchar.c \
	libubf/base/cconfig.c libubf/base/ini.c libatmi/base/*.c \
	libubf/regex/*.c libatmi/log/*.c libatmi/waking/*.c libatmi/domain/*.c \
	libatmi/wire/*.c libatmi/subs/*.c libatmi/door/*.c \
	libatmi/cache/rows.c libatmi/cache/store.c libatmi/cache/settings.c \
	libatmi/transport/*.c libatmi/transport/*/*.c libatmi/reply/*.c \
	libatmi/member/*.c; do
	case $f in
	*/tplogprintubf.c | */print_ubf.c) continue ;; # need libubf
	*/cipher.c | */libcrypto.c | */secret.c) continue ;; # need OpenSSL
	esac
	$cc $flags -c "$f" -o "$out/$(echo "$f" | tr / _).o"
done
for name in test_shmq test_shmq_few test_shmq_wake test_waitset_shm; do
	$cc $flags -Wno-type-limits -o "$out/$name" "tests/unit/libatmi/transport/shm/$name.c" \
		"$out"/*.o -lrt -lpthread
	echo "== $name"
	OW_WITHOUT=kill qemu-aarch64 -L /usr/aarch64-linux-gnu "$out/$name"
done
