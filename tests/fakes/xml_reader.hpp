// A strict reader of the XML that reports are written in, to prove them well-formed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

struct XmlElement {
    std::string name;
    std::map<std::string, std::string> attributes;
    std::string text;
    std::vector<XmlElement> children;

    // Children of this name, in order.
    std::vector<const XmlElement*> all(std::string_view child) const;
};

// The root element; nothing if the document is not well-formed (an unknown entity, a control
// character, a tag left open, anything behind the root ...).
std::optional<XmlElement> read_xml(std::string_view document);

}  // namespace zcrxlab
