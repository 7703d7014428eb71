import { expect, test } from "bun:test";
import { findErrorLine } from "#planner/work/error_line.ts";

const CRASHES: readonly (readonly [program: string, stderr: string, says: string])[] = [
  [
    "node",
    '/a/b.js:1\nthrow new Error("boom")\n^\n\nError: boom\n    at Object.<anonymous> (/a/b.js:1:7)\n    at node:internal/main:2:3\n\nNode.js v20.1.0\n',
    "Error: boom",
  ],
  [
    "bun",
    '1 | throw new TypeError("no key")\n          ^\nTypeError: no key\n      at /a/b.ts:1:7\n\nBun v1.2.3 (Linux x64)\n',
    "TypeError: no key",
  ],
  [
    "python",
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    main()\nValueError: no key\n',
    "ValueError: no key",
  ],
  [
    "rust",
    "thread 'main' panicked at src/main.rs:2:5:\nno key\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
    "thread 'main' panicked at src/main.rs:2:5: no key",
  ],
  [
    "go",
    "panic: no key\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/main.go:4 +0x2c\nexit status 2\n",
    "panic: no key",
  ],
  [
    "java",
    'Exception in thread "main" java.lang.RuntimeException: outer\n\tat A.main(A.java:3)\nCaused by: java.io.IOException: no key\n\tat A.b(A.java:9)\n\t... 1 more\n',
    "Caused by: java.io.IOException: no key",
  ],
  [
    "ruby",
    "a.rb:1:in `main': no key (RuntimeError)\n\tfrom a.rb:3:in `<main>'\n",
    "a.rb:1:in `main': no key (RuntimeError)",
  ],
  [
    "git",
    "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n",
    "fatal: Could not read from remote repository.",
  ],
  ["a shell", "sh: 1: codx: not found\n", "sh: 1: codx: not found"],
  ["a program that says it plainly", "working\nI give up\n\n", "I give up"],
  ["nothing", "\n", ""],
];

for (const [program, stderr, says] of CRASHES) {
  test(`errorLine returns the program's own error after a crash of ${program}`, () => {
    expect(findErrorLine(stderr.split("\n"))).toBe(says);
  });
}
