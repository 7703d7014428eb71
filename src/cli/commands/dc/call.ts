import { booleanFlag, integerFlag, optionalArgument, readTextOrInput } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { TOKEN_FLAG, URL_FLAG } from "../../dc/asked_flags.ts";

export const command = defineCommand({
  meta: { name: "dc call", description: "Call an RPC of a running server" },
  details:
    "Exits with 2 if the server answers invalid_argument, 70 for a bug in the server, else 1 if a call fails. PLANNER_DC_TOKEN, or a file named by PLANNER_DC_TOKEN_FILE, keeps the token off the list of processes.",
  args: {
    rpc: optionalArgument("Name of the RPC", {
      replacedBy: ["--list"],
      following: async () => (await import("../../dc/call.ts")).RPC_NAMES,
    }),
    request: optionalArgument("The request as JSON, or - for standard input"),
    url: URL_FLAG,
    token: TOKEN_FLAG,
    timeout: integerFlag(1, "Longest wait for the reply (30)", { valueHint: "seconds" }),
    list: booleanFlag("List the RPCs and whether they read or write", { excludes: ["<rpc>"] }),
  },
  examples: {
    'planner dc call GetRack \'{"code": "A01"}\'': "Print a rack with its devices",
    "planner dc call --list": "List the RPCs",
  },
  async run({ args: { rpc = "", request = "{}", url, token, timeout, list }, cli }) {
    const { callRpc, printRpcs } = await import("../../dc/call.ts");
    if (list) return void printRpcs();
    const { resolveServerAddress } = await import("../../dc/server_address.ts");
    return callRpc(resolveServerAddress({ url, token, timeout }, cli.cwd), rpc, await readTextOrInput(request));
  },
});
