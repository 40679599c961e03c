//! Tasks and worlds on disk: loading, validation, and building their guests.
