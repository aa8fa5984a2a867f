import { always, type StandIn } from "../../ports/stand-in.ts";

const failure = (code: number, message: string) =>
  always(code, { status_code: code, status: "Failed", message, results: null });

/** Blusalt's version 2, as its client packages have it. They name no failure but that of an unknown number. */
export const blusaltStandIn: StandIn = {
  base: "/v2",
  hasCredentials: ({ headers }) => Boolean(headers.clientid && headers.appname && headers.apikey),
  asked: ({ method, path, body }) =>
    method === "POST" && path === "/v2/IdentityVerification/BVN"
      ? { kind: "bvn", number: String(body.bvn_number) }
      : undefined,
  found: (person, { reference }, photo) => ({
    status_code: 200,
    status: "Success",
    message: "BVN Verification Completed Successfully",
    results: { request_reference: reference, ...person, image: photo },
  }),
  failures: {
    not_found: failure(404, "No record found"),
    no_money: failure(402, "Insufficient wallet balance"),
    maintenance: failure(503, "Service unavailable"),
    too_many_requests: failure(429, "Too many requests"),
    no_credentials: failure(401, "Unauthorized"),
    no_route: always(404, { message: "Not Found" }),
  },
};
