import { always, type StandIn } from "../stand-in.ts";
import notFound from "./samples/not-found.json" with { type: "json" };
import verified from "./samples/verified.json" with { type: "json" };

const failure = (code: number, message: string) => always(code, { ...notFound.sample, status_code: code, message });

/** Blusalt's version 2. Its client packages name no failure but that of an unknown number. */
export const blusaltStandIn: StandIn = {
  base: "/v2",
  hasCredentials: ({ headers }) => Boolean(headers.clientid && headers.appname && headers.apikey),
  asked: ({ method, path, body }) =>
    method === "POST" && path === "/v2/IdentityVerification/BVN"
      ? { kind: "bvn", number: String(body.bvn_number) }
      : undefined,
  found: (person, { reference }, photo) => ({
    ...verified.sample,
    results: { request_reference: reference, ...person, image: photo },
  }),
  failures: {
    not_found: always(404, notFound.sample),
    no_money: failure(402, "Insufficient wallet balance"),
    maintenance: failure(503, "Service unavailable"),
    too_many_requests: failure(429, "Too many requests"),
    no_credentials: failure(401, "Unauthorized"),
    no_route: always(404, { message: "Not Found" }),
  },
};
