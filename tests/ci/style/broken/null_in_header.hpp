// A mistake in a header of ours.
#pragma once

inline const char* no_name() {
    return 0;
}
