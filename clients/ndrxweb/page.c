/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.c - the files of the page, which are in the program
 *
 * The assembler copies them out of the folder page/: no tool makes anything of
 * them, and what a browser gets is what stands there.
 */
#include "clients/ndrxweb/page.h"

#include <string.h>

#define FILE_OF(name, file)                                            \
	extern const char ow_page_##name[], ow_page_##name##_end[];    \
	__asm__(".pushsection .rodata\n"                               \
		".global ow_page_" #name "\n"                          \
		"ow_page_" #name ": .incbin \"" OW_PAGE_FOLDER file "\"\n" \
		".global ow_page_" #name "_end\n"                      \
		"ow_page_" #name "_end: .byte 0\n"                     \
		".popsection\n")

FILE_OF(html, "page.html");
FILE_OF(css, "page.css");
FILE_OF(js, "page.js");
FILE_OF(format, "format.js");
FILE_OF(map, "map.js");
FILE_OF(card, "card.js");
FILE_OF(call, "call.js");
FILE_OF(messages, "messages.js");
FILE_OF(logs, "logs.js");
FILE_OF(configuration, "configuration.js");
FILE_OF(icon, "icon.svg");

const struct ow_page *ow_page_find(const char *path)
{
	static struct ow_page found; /* one thread */
	static const struct {
		const char *path, *type, *from, *to;
	} files[] = {
		{ "/", "text/html; charset=utf-8", ow_page_html,
		  ow_page_html_end },
		{ "/page.css", "text/css; charset=utf-8", ow_page_css,
		  ow_page_css_end },
		{ "/page.js", "text/javascript; charset=utf-8", ow_page_js,
		  ow_page_js_end },
		{ "/format.js", "text/javascript; charset=utf-8",
		  ow_page_format, ow_page_format_end },
		{ "/map.js", "text/javascript; charset=utf-8", ow_page_map,
		  ow_page_map_end },
		{ "/card.js", "text/javascript; charset=utf-8", ow_page_card,
		  ow_page_card_end },
		{ "/logs.js", "text/javascript; charset=utf-8", ow_page_logs,
		  ow_page_logs_end },
		{ "/messages.js", "text/javascript; charset=utf-8",
		  ow_page_messages, ow_page_messages_end },
		{ "/call.js", "text/javascript; charset=utf-8", ow_page_call,
		  ow_page_call_end },
		{ "/configuration.js", "text/javascript; charset=utf-8",
		  ow_page_configuration, ow_page_configuration_end },
		{ "/icon.svg", "image/svg+xml", ow_page_icon,
		  ow_page_icon_end },
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (strcmp(files[i].path, path) != 0)
			continue;
		found = (struct ow_page){ files[i].path, files[i].type,
					  files[i].from,
					  (size_t)(files[i].to -
						   files[i].from) };
		return &found;
	}
	return NULL;
}
