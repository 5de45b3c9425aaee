# SPDX-License-Identifier: Apache-2.0
# OwVersion.cmake - the public header has the number of VERSION
#
# include/ndrx_config.h is read where it lies, by tools and by programs that are
# compiled against the tree; so it is not generated elsewhere, but written here
# when VERSION has changed.
set(header ${PROJECT_SOURCE_DIR}/include/ndrx_config.h)
file(READ ${header} text)
string(REGEX REPLACE "(NDRX_VERSION\t)\"[^\"]*\"" "\\1\"${OW_VERSION}\""
	now "${text}")
if(NOT now STREQUAL text)
	file(WRITE ${header} "${now}")
endif()
