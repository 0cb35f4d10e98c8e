# hilgate_page_files(FOLDER FILE...)
# The files of a web page, and others that it asks for, as text in the program: the library hilgate_web_page, with page_files() of
# gateway/views/web/web_page.h. A new file needs no line here.
function(hilgate_page_files folder)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/web_page/page_files.cc)
  file(GLOB files CONFIGURE_DEPENDS ${source}/*)
  list(APPEND files ${ARGN})
  string(REPLACE ";" "," listed "${files}")
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -D FILES=${listed} -D OUTPUT=${generated} -P ${CMAKE_SOURCE_DIR}/cmake/WritePageFiles.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/WritePageFiles.cmake
    VERBATIM)
  add_library(hilgate_web_page STATIC ${generated})
  target_link_libraries(hilgate_web_page PRIVATE hilgate_options)
endfunction()
