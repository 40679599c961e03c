//! A wasmtime sandbox for guests: component and snapshot in, verdict out.
