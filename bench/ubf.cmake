# SPDX-License-Identifier: Apache-2.0
# ubf.cmake - the benchmark of libubf; include()d by bench/CMakeLists.txt
add_executable(ubf_bench ${CMAKE_CURRENT_LIST_DIR}/ubf_bench.c)
target_link_libraries(ubf_bench PRIVATE inside)
# What is done to a received buffer is exported, but not of the public headers.
target_include_directories(ubf_bench PRIVATE ${PROJECT_SOURCE_DIR})
