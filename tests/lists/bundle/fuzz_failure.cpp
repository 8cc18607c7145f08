// Makes C of whatever list the parser takes: it is refused with a sentence, or has a main().
//
// reaches 85 % of lists/to_c/c_calls.cpp
// reaches 80 % of lists/to_c/c_file.cpp
// reaches 95 % of lists/to_c/c_names.cpp
// reaches 75 % of lists/to_c/c_registration.cpp
#include <cstdlib>

#include "lists/to_c/c_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const Result<ActionList> list = actions_from_text({reinterpret_cast<const char*>(data), size});
    if (!list) return 0;
    const Result<std::string> text = to_c(*list, {});
    if (!text && text.error().sentence.empty()) std::abort();
    if (text && text->find("int main(void)") == std::string::npos) std::abort();
    // The list in the first comment must not end it.
    if (text && text->find("*/") < text->find("Exit code:")) std::abort();
    return 0;
}
