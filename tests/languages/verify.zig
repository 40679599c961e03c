const std = @import("std");

/// Checks that answer.txt in the final state contains the number of lines of log.txt in the starting state.
pub fn main(init: std.process.Init) !u8 {
    const log = try read(init, "MCPMARK_START_DIR", "log.txt");
    const answer = read(init, "FILESYSTEM_TEST_DIR", "answer.txt") catch {
        std.debug.print("answer.txt is missing\n", .{});
        return 1;
    };
    const lines = std.mem.count(u8, log, "\n");
    const given = std.fmt.parseInt(usize, std.mem.trim(u8, answer, " \r\n"), 10) catch return 1;
    return if (given == lines) 0 else 1;
}

/// Reads a file of the directory that a variable names. The working directory is the root, and Zig takes paths as
/// relative to it.
fn read(init: std.process.Init, variable: []const u8, name: []const u8) ![]u8 {
    const dir = std.mem.trimStart(u8, init.environ_map.get(variable).?, "/");
    const path = try std.fs.path.join(init.gpa, &.{ dir, name });
    return std.Io.Dir.cwd().readFileAlloc(init.io, path, init.gpa, .limited(1 << 20));
}
