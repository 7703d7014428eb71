/** @jsxImportSource react */
import { GraphiQL, type GraphiQLProps } from "graphiql";
import { createRoot } from "react-dom/client";

/** Sends one GraphQL operation to the server of this page. */
const sendOperation: GraphiQLProps["fetcher"] = async (params, options) => {
  const answer = await fetch("/graphql", {
    method: "POST",
    headers: {
      accept: "application/graphql-response+json, application/json",
      "content-type": "application/json",
      ...options?.headers,
    },
    body: JSON.stringify(params),
  });
  return answer.json();
};

const EXAMPLE_QUERY = `# Ctrl-Enter runs the query; Ctrl-Space completes it.
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
if (root !== null) createRoot(root).render(<GraphiQL fetcher={sendOperation} defaultQuery={EXAMPLE_QUERY} />);
