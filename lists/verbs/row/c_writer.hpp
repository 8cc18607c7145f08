// CWriter: what a verb asks of the C file that is written. lists/to_c implements it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

class CWriter {
  public:
    virtual ~CWriter() = default;

    // The variable of a thing.
    virtual std::string variable(const std::string& name) const = 0;
    // The file has these of lists/to_c/parts/.
    virtual void need(std::initializer_list<std::string_view> parts) = 0;
    // It is skipped on kernels that have fewer operations of IORING_REGISTER_ZCRX_CTRL.
    virtual void need_control(unsigned operations) = 0;
    // A line above main().
    virtual void declare(const std::string& line) = 0;
    // The lines of an action that makes a thing of this type by a call: a variable has it if the
    // list uses it. What a refused one would have made is left out from here on.
    virtual std::string make(const std::string& type, const Action& action,
                             const std::string& call) = 0;
    // The lines of "register" (lists/to_c/c_registration.hpp).
    virtual Result<std::string> register_ifq(const Action& action) = 0;
    // The constant for the memory of an area, whose huge pages the file gets.
    virtual std::string memory(const Action& action) = 0;
    // Which ifq a box has.
    virtual void put_into_box(const std::string& box, const std::string& ifq) = 0;
    virtual std::string ifq_in_box(const std::string& box) const = 0;
    // The NIC came back, and nobody has set it up.
    virtual void bring_nic_back() = 0;
};

// EINVAL: no C file can do this action alone; `why` is the end of a sentence.
Error cannot_be_c(const Action& action, std::string_view why);

// The constant; "-1" for kAnyErrno, "0" for success.
std::string errno_text(int code);
// "bad_area" as the constant BAD_AREA.
std::string in_capitals(std::string word);
// Of a promise that may be left out; "-1": it does not matter.
std::string number_or_none(const Action& action, std::string_view parameter);

// "function(argument, argument)", of names, constants and numbers.
std::string c_call(std::string_view function, std::initializer_list<std::string> arguments);
// The same as a line of a function.
std::string c_line(std::string_view function, std::initializer_list<std::string> arguments);

}  // namespace zcrxlab
