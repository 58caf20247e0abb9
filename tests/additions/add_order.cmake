# cmake -DFROM=orders.cc -DFUNCTION=from_the_end.txt -DTO=copy.cc -P add_order.cmake: adds an order of
# decoding to a copy of orders.cc, as CONTRIBUTING.md says: a function and a row.
file(READ "${FROM}" text)
file(READ "${FUNCTION}" function)
set(table "}  // namespace\n\nstd::span<const OrderKind> order_kinds()")
set(row "      {\"random\",")
foreach(anchor table row)
  string(FIND "${text}" "${${anchor}}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "${FROM} has changed: add_order.cmake finds no ${anchor} in it")
  endif()
endforeach()
string(REPLACE "${table}" "${function}${table}" text "${text}")
string(REPLACE "${row}"
  "      {\"from_the_end\", \"reveal the last token first\", false, false, {}, from_the_end},\n${row}"
  text "${text}")
file(WRITE "${TO}" "${text}")
