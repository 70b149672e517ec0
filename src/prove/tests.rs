//! What is proven, and what must not be.
