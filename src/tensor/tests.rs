//! Definitions, plans and what becomes of small programs.
