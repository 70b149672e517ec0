//! What the checker must refuse.
