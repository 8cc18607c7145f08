// A strict reader of the XML that reports are written in.
#include "tests/fakes/xml_reader.hpp"

#include <cctype>

namespace zcrxlab {

namespace {

class Reader {
  public:
    explicit Reader(std::string_view text) : left_(text) {}

    std::optional<XmlElement> document() {
        if (!skip("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")) return {};
        XmlElement root;
        if (!element(root) || left_ != "\n") return {};
        return root;
    }

  private:
    bool skip(std::string_view expected) {
        if (left_.substr(0, expected.size()) != expected) return false;
        left_.remove_prefix(expected.size());
        return true;
    }

    bool name(std::string& into) {
        const auto belongs = [&](unsigned char c) {
            return std::isalpha(c) != 0 || (!into.empty() && (std::isdigit(c) != 0 || c == '-'));
        };
        while (!left_.empty() && belongs(static_cast<unsigned char>(left_[0]))) {
            into += left_[0];
            left_.remove_prefix(1);
        }
        return !into.empty();
    }

    // Characters up to `end`, with entities resolved.
    bool characters(std::string& into, char end) {
        static const std::map<std::string_view, char> kEntities = {{"&amp;", '&'},  {"&lt;", '<'},
                                                                   {"&gt;", '>'},   {"&quot;", '"'},
                                                                   {"&#10;", '\n'}, {"&#9;", '\t'}};
        while (!left_.empty() && left_[0] != end) {
            const char c = left_[0];
            if (c == '&') {
                const std::string_view entity = left_.substr(0, left_.find(';') + 1);
                const auto found = kEntities.find(entity);
                if (found == kEntities.end()) return false;
                into += found->second;
                left_.remove_prefix(entity.size());
                continue;
            }
            const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
            if (c == '<' || (control && c != '\n' && c != '\t')) return false;
            into += c;
            left_.remove_prefix(1);
        }
        return !left_.empty();
    }

    bool element(XmlElement& into) {
        if (!skip("<") || !name(into.name)) return false;
        while (skip(" ")) {
            std::string key, value;
            if (!name(key) || !skip("=\"") || !characters(value, '"') || !skip("\"")) return false;
            if (!into.attributes.emplace(key, value).second) return false;
        }
        if (skip("/>")) return true;
        if (!skip(">")) return false;
        while (characters(into.text, '<')) {
            if (skip("</")) return skip(into.name) && skip(">");
            if (!element(into.children.emplace_back())) return false;
        }
        return false;
    }

    std::string_view left_;
};

}  // namespace

std::vector<const XmlElement*> XmlElement::all(std::string_view child) const {
    std::vector<const XmlElement*> found;
    for (const XmlElement& element : children)
        if (element.name == child) found.push_back(&element);
    return found;
}

std::optional<XmlElement> read_xml(std::string_view document) {
    return Reader(document).document();
}

}  // namespace zcrxlab
