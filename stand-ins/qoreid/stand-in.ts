import { always, birthDate, filled, type StandIn } from "../stand-in.ts";
import bvn from "./samples/bvn.json" with { type: "json" };
import failures from "./samples/failures.json" with { type: "json" };
import nin from "./samples/nin.json" with { type: "json" };
import token from "./samples/token.json" with { type: "json" };

const { notFound, ninNotFound, noRoute, unauthorized } = failures.samples;
const paths = { "bvn-basic": "bvn", nin: "nin" } as const;

const failure = (statusCode: number, message: string) => always(statusCode, { statusCode, message });

/** QoreID, with the failures of its sister VerifyMe. */
export const qoreidStandIn: StandIn = {
  settings: { DUBA_QOREID_NAMES: "none" },
  hasCredentials: ({ headers }) => headers.authorization === `Bearer ${token.sample.accessToken}`,
  beside({ method, path, body }) {
    if (method !== "POST" || path !== "/token") return undefined;
    return body.clientId && body.secret ? { status: 200, body: token.sample } : { status: 401, body: unauthorized };
  },
  asked({ method, path }) {
    const [, name = "", number = ""] = /^\/v1\/ng\/identities\/([a-z-]+)\/(\d+)$/.exec(path) ?? [];
    const kind = method === "POST" ? paths[name as keyof typeof paths] : undefined;
    return kind && { kind, number };
  },
  referenceOf: (uuid) => String(Number.parseInt(uuid.slice(0, 8), 16)),
  found(person, { kind, number, reference }, photo) {
    const { personal_info: own, residential_info: home } = person;
    const { sample } = kind === "bvn" ? bvn : nin;
    const said = filled(sample, {
      id: Number(reference),
      [kind]: number,
      firstname: own.first_name,
      middlename: own.middle_name,
      lastname: own.last_name,
      birthdate: birthDate(person),
      gender: own.gender,
      phone: own.phone_number,
      photo,
      address1: home.residential_address,
      lga: home.lga_of_residence,
      state: home.state_of_residence,
    });
    // Two parts of the response have members of equal names: the match of names, and the progress of the look-up.
    const { summary, status } = sample;
    return { ...said, summary, status };
  },
  failures: {
    not_found: ({ kind }) => ({ status: 404, body: kind === "bvn" ? notFound : ninNotFound }),
    no_money: failure(402, "Insufficient wallet balance"),
    maintenance: failure(503, "Service unavailable"),
    too_many_requests: failure(429, "Too many requests"),
    no_credentials: always(401, unauthorized),
    no_route: always(404, noRoute),
  },
};
