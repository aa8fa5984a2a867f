import { always, type StandIn } from "../../src/upstreams/ports/stand-in.ts";

/** FILL IN: from which pages it has the vendor's wire. It says what they do not show, such as a failure's words. */
export const acmeStandIn: StandIn = {
  // FILL IN: `settings`, if a rehearsal needs more than the address and the credentials.
  hasCredentials: ({ headers }) => /^Bearer \S+$/.test(String(headers.authorization)),
  // FILL IN: the documented paths, and where the number is.
  asked: ({ method, path, body }) =>
    method === "POST" && path === "/bvn" ? { kind: "bvn", number: String(body.number) } : undefined,
  // FILL IN: `referenceOf`, if the vendor's reference has a form of its own, or is ours.
  // FILL IN: all documented members of a response.
  found: ({ personal_info: own }, { number, reference }, photo) => ({
    data: {
      reference,
      bvn: number,
      firstName: own.first_name,
      middleName: own.middle_name,
      lastName: own.last_name,
      dateOfBirth: own.date_of_birth,
      gender: own.gender,
      phoneNumber: own.phone_number,
      photo,
    },
  }),
  // FILL IN: each failure as documented, `blocked` too if the vendor says so; `free` and `refuses`, if it bills none of them.
  failures: {
    not_found: always(404, { error: "not_found", message: "Nobody has this number" }),
    no_money: always(402, { error: "no_money", message: "Insufficient wallet balance" }),
    maintenance: always(503, { error: "maintenance" }),
    too_many_requests: always(429, { error: "too_many_requests" }),
    no_credentials: always(401, { error: "unauthorized" }),
    no_route: always(404, { error: "no_route" }),
  },
};
