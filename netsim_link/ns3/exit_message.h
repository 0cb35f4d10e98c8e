// SPDX-License-Identifier: GPL-2.0-only
// ns-3 ends the program when something is wrong in it (NS_FATAL_ERROR, NS_ABORT_MSG), with a message on standard error.
// With this installed it ends with words and exit status of our own.
#pragma once

#include <functional>
#include <string>

namespace hilgate::ns3net {

/// `say` gets ns-3's message, prints it and returns the exit status. std::cerr and std::clog are ns-3's from here on,
/// and only what they hold at the end is reported.
void install_exit_message(std::function<int(const std::string&)> say);

}  // namespace hilgate::ns3net
