# SPDX-License-Identifier: Apache-2.0
# base.cmake - unit tests of the lowest layer of libatmi
foreach(module env log log_conf log_order tperror userlog)
	ow_unit_test(atmi_test_${module} test_${module}.c atmi_obj ubf_obj)
endforeach()
