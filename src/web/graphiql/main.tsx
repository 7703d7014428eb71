/** @jsxImportSource react */
import { GraphiQL } from "graphiql";
import { createRoot } from "react-dom/client";
import { askServer } from "./ask_server.ts";

const EXAMPLE = `# Ctrl-Enter runs the query; Ctrl-Space completes it.
# Where tokens are asked for, write yours into Headers:
# {"authorization": "Bearer …"}

query Leaves {
  searchDevices(filter: { roles: ["leaf"] }, pageSize: 5) {
    totalCount
    devices { code name rackCode }
  }
}
`;

const root = document.querySelector("#app");
if (root !== null) createRoot(root).render(<GraphiQL fetcher={askServer} defaultQuery={EXAMPLE} />);
