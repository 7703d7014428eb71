import { expect, test } from "bun:test";
import { ErrorOutput } from "#planner/work/error_line.ts";

const CRASHES: readonly (readonly [program: string, stderr: string, says: string])[] = [
  [
    "node",
    '/a/b.js:1\nthrow new Error("boom")\n^\n\nError: boom\n    at Object.<anonymous> (/a/b.js:1:7)\n    at node:internal/main:2:3\n\nNode.js v20.1.0\n',
    "Error: boom",
  ],
  [
    "node with properties",
    "node:fs:441\n    return binding.open(\n\nError: ENOENT: no such file or directory, open '/x'\n    at openSync (node:fs:441:18)\n    at /a/b.js:1:7 {\n  errno: -2,\n  code: 'ENOENT',\n  path: 'error: none'\n}\n\nNode.js v20.20.2\n",
    "Error: ENOENT: no such file or directory, open '/x'",
  ],
  [
    "node with properties that are errors",
    `AxiosError: Request failed\n    at settle (/a.js:1:2) {\n  code: 'ERR',\n${"  config: {\n    error: 'x',\n  },\n".repeat(200)}  [cause]: Error: inner\n      at b (/a.js:3:4) {\n    errno: -1\n  }\n}\n\nNode.js v22.1.0\n`,
    "AxiosError: Request failed",
  ],
  ["node without a stack", "[Error: no key] {\n  code: 'E_KEY'\n}\n", "[Error: no key]"],
  [
    "a program after a printed error",
    "TypeError: first\n    at a (/a.js:1:2) {\n  code: 'A'\n}\nError: second\n    at b (/b.js:1:2)\n",
    "Error: second",
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
    const errors = new ErrorOutput();
    for (const line of stderr.split("\n")) errors.addLines([line]);
    expect(errors.findErrorLine()).toBe(says);
  });
}
