import { always, filled, type StandIn } from "../../stand-ins/stand-in.ts";
import bvn from "./samples/bvn.json" with { type: "json" };
import failures from "./samples/failures.json" with { type: "json" };

/** FILL IN: what the vendor's pages do not show, such as a failure's words. */
export const acmeStandIn: StandIn = {
  // FILL IN: `settings`, if a rehearsal needs more than the address and the credentials.
  hasCredentials: ({ headers }) => /^Bearer \S+$/.test(String(headers.authorization)),
  // FILL IN: the documented paths, and where the number is.
  asked: ({ method, path, body }) =>
    method === "POST" && path === "/bvn" ? { kind: "bvn", number: String(body.number) } : undefined,
  // FILL IN: `referenceOf`, if the vendor's reference has a form of its own, or is ours.
  // FILL IN: the members of the published response that are the person's, or ours.
  found: ({ personal_info: own }, { number, reference }) =>
    filled(bvn.sample, {
      reference,
      bvn: number,
      firstName: own.first_name,
      lastName: own.last_name,
      dateOfBirth: own.date_of_birth,
      gender: own.gender,
      phoneNumber: own.phone_number,
    }),
  // FILL IN: each failure as documented, `blocked` too if the vendor says so; `free` and `refuses`, if it bills none of
  // them.
  failures: {
    not_found: always(404, failures.samples.notFound),
    no_money: always(402, { error: "no_money", message: "Insufficient wallet balance" }),
    maintenance: always(503, { error: "maintenance" }),
    too_many_requests: always(429, { error: "too_many_requests" }),
    no_credentials: always(401, { error: "unauthorized" }),
    no_route: always(404, { error: "no_route" }),
  },
};
