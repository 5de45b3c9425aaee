/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_id.c - which build of a program a file is
 *
 * Programs of this machine's own kind. Each number of the file is checked: any
 * file may lie where a program is looked for.
 */
#include "clients/xadmin/list/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEADERS	  64	/* program headers that are looked at */
#define NOTES_MAX 4096u /* bytes of a segment of notes */

static bool read_at(int fd, void *to, size_t len, ElfW(Off) at)
{
	return pread(fd, to, len, (off_t)at) == (ssize_t)len;
}

static void write_hex(const unsigned char *id, size_t n, char ret[OW_BUILD_ID])
{
	size_t i;

	for (i = 0; i < n && 2 * i + 2 < OW_BUILD_ID; i++)
		snprintf(ret + 2 * i, 3, "%02x", id[i]);
}

static bool find_note(const unsigned char *notes, size_t size,
		      char ret[OW_BUILD_ID])
{
	ElfW(Nhdr) n;
	size_t at = 0, name, desc;

	while (size - at >= sizeof(n)) {
		memcpy(&n, notes + at, sizeof(n));
		at += sizeof(n);
		name = ((size_t)n.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)n.n_descsz + 3) & ~(size_t)3;
		if (name > size - at || desc > size - at - name)
			return false;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    memcmp(notes + at, "GNU", 4) == 0 && n.n_descsz > 0) {
			write_hex(notes + at + name, n.n_descsz, ret);
			return true;
		}
		at += name + desc;
	}
	return false;
}

static bool find(int fd, char ret[OW_BUILD_ID])
{
	unsigned char notes[NOTES_MAX];
	ElfW(Ehdr) h;
	ElfW(Phdr) p;
	int i;

	if (!read_at(fd, &h, sizeof(h), 0) ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64
							: ELFCLASS32) ||
	    h.e_phentsize != sizeof(p))
		return false;
	for (i = 0; i < h.e_phnum && i < HEADERS; i++)
		if (read_at(fd, &p, sizeof(p),
			    h.e_phoff + (ElfW(Off))i * sizeof(p)) &&
		    p.p_type == PT_NOTE && p.p_filesz <= NOTES_MAX &&
		    read_at(fd, notes, p.p_filesz, p.p_offset) &&
		    find_note(notes, p.p_filesz, ret))
			return true;
	return false;
}

bool ow_build_id(const char *path, char ret[OW_BUILD_ID])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found = fd >= 0;

	ret[0] = '\0';
	if (found) {
		found = find(fd, ret);
		close(fd);
	}
	return found;
}
