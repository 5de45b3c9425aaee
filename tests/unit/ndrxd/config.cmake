# SPDX-License-Identifier: Apache-2.0
# config.cmake - tests of the configuration; included by CMakeLists.txt here
include(${PROJECT_SOURCE_DIR}/ndrxd/config.cmake)
if(NOT TARGET PkgConfig::LIBXML2)
	pkg_check_modules(LIBXML2 REQUIRED IMPORTED_TARGET libxml-2.0)
endif()

list(TRANSFORM OW_NDRXD_CONFIG PREPEND ${PROJECT_SOURCE_DIR}/ndrxd/
	OUTPUT_VARIABLE ow_config_test_sources)
add_library(ow_config_test_obj OBJECT ${ow_config_test_sources})
target_include_directories(ow_config_test_obj PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(ow_config_test_obj PUBLIC PkgConfig::LIBXML2)

foreach(module cmdline config_value config_load config_errors config_memory
	config_origin config_schema config_every)
	ow_unit_test(test_ndrxd_${module}
		${CMAKE_CURRENT_LIST_DIR}/test_${module}.c ow_config_test_obj)
endforeach()
target_compile_definitions(test_ndrxd_config_load PRIVATE
	OW_SAMPLE_CONFIG="${PROJECT_SOURCE_DIR}/conf/ndrxconfig.sample.xml")
foreach(module schema every)
	target_compile_definitions(test_ndrxd_config_${module} PRIVATE
		OW_CONF="${PROJECT_SOURCE_DIR}/conf")
endforeach()
target_compile_definitions(test_ndrxd_config_schema PRIVATE
	OW_EXAMPLE_CONFIG="${PROJECT_SOURCE_DIR}/examples/bank/ndrxconfig.xml")
# Allocation failures are injected at the linker's door.
target_link_options(test_ndrxd_config_memory PRIVATE
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup)
