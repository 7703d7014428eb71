import type { GraphiQLProps } from "graphiql";

/** Sends one operation to the server that the page came from. */
export const askServer: GraphiQLProps["fetcher"] = async (params, options) => {
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
