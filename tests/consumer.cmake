# mgdm as others see it: installed into a fresh prefix, then used by projects that only know
# find_package(mgdm), and by Python.
include(GNUInstallDirs)
set(prefix ${CMAKE_CURRENT_BINARY_DIR}/prefix)

# mgdm_outside_project(NAME FOLDER): a test that configures and builds it.
function(mgdm_outside_project name folder)
  add_test(NAME consumer.build_${name}
    COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${folder} ${CMAKE_CURRENT_BINARY_DIR}/${name}
            --build-generator Ninja --build-noclean
            --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release)
  set_tests_properties(consumer.build_${name} PROPERTIES
    FIXTURES_REQUIRED installed FIXTURES_SETUP ${name})
endfunction()

add_test(NAME consumer.install
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
set_tests_properties(consumer.install PROPERTIES FIXTURES_SETUP installed)
mgdm_outside_project(consumer ${CMAKE_CURRENT_SOURCE_DIR}/consumer)
mgdm_outside_project(examples ${PROJECT_SOURCE_DIR}/examples)

# All of them run in the prefix, where no folder models/ is: installed models are found by name.
set(built ${CMAKE_CURRENT_BINARY_DIR})
foreach(program consumer shared_consumer c_consumer page_cpp page_c)
  add_test(NAME consumer.${program} COMMAND ${built}/consumer/${program})
  set_tests_properties(consumer.${program} PROPERTIES
    FIXTURES_REQUIRED consumer WORKING_DIRECTORY ${prefix})
endforeach()
add_test(NAME consumer.watch_sudoku COMMAND ${built}/examples/watch_sudoku)
add_test(NAME consumer.answer_file COMMAND ${built}/examples/answer_file quick-planning-mgdm
  ${PROJECT_SOURCE_DIR}/examples/quick-planning.jsonl)
add_test(NAME consumer.solve COMMAND ${built}/examples/solve countdown-4 "4 5 6 10 -> 24" "86,28,13,31,96")
set_tests_properties(consumer.watch_sudoku consumer.answer_file consumer.solve PROPERTIES
  FIXTURES_REQUIRED examples WORKING_DIRECTORY ${prefix})
set_tests_properties(consumer.answer_file PROPERTIES PASS_REGULAR_EXPRESSION "20 of 20 right")

# Without CMake: by a compiler and pkg-config alone.
find_program(MGDM_PKG_CONFIG pkg-config)
find_program(MGDM_C_COMPILER NAMES cc gcc clang)
if(MGDM_PKG_CONFIG AND MGDM_C_COMPILER)
  set(by_hand "flags=$(PKG_CONFIG_PATH=${CMAKE_INSTALL_LIBDIR}/pkgconfig ${MGDM_PKG_CONFIG} --cflags --libs mgdm) && \
    ${MGDM_C_COMPILER} ${CMAKE_CURRENT_SOURCE_DIR}/consumer/main.c -o by_hand $flags && \
    LD_LIBRARY_PATH=${CMAKE_INSTALL_LIBDIR} ./by_hand")
  add_test(NAME consumer.by_pkg_config COMMAND sh -c "${by_hand}")
  set_tests_properties(consumer.by_pkg_config PROPERTIES
    FIXTURES_REQUIRED installed WORKING_DIRECTORY ${prefix})
endif()

find_program(MGDM_PYTHON python3)
if(MGDM_PYTHON)
  add_test(NAME consumer.from_python
    COMMAND ${MGDM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/consumer/from_python.py
            ${prefix}/${CMAKE_INSTALL_LIBDIR}/libmgdm.so)
  set_tests_properties(consumer.from_python PROPERTIES
    FIXTURES_REQUIRED installed WORKING_DIRECTORY ${prefix})
endif()
# A folder in which ./mgdm has built the program alone: that is installed, with models and recipes.
set(alone ${CMAKE_CURRENT_BINARY_DIR}/alone)
add_test(NAME consumer.install_program COMMAND sh -c "rm -rf ${alone} && \
  ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${alone} -G Ninja -DMGDM_TORCH=OFF -DMGDM_TESTS=OFF >${alone}.log && \
  cp $<TARGET_FILE:mgdm> ${alone} && ${CMAKE_COMMAND} --install ${alone} --prefix ${alone}/prefix && \
  ${alone}/prefix/bin/mgdm reproduce sizes --out ${alone}/results")
set_tests_properties(consumer.install_program PROPERTIES
  PASS_REGULAR_EXPRESSION "Not installed.*: the library.*parameters, millions" WORKING_DIRECTORY /tmp)

if(TARGET mgdm-train)
  add_test(NAME consumer.model COMMAND ${prefix}/bin/mgdm describe quick-planning-mgdm)
  set_tests_properties(consumer.model PROPERTIES
    FIXTURES_REQUIRED installed WORKING_DIRECTORY ${prefix})
  add_test(NAME consumer.train COMMAND sh -c
    "rm -rf run && exec ./train ${PROJECT_SOURCE_DIR}/recipes/smoke/mgdm.toml run")
  set_tests_properties(consumer.train PROPERTIES
    FIXTURES_REQUIRED consumer WORKING_DIRECTORY ${built}/consumer)
endif()
