import { always, birthDate, type StandIn } from "../../ports/stand-in.ts";

const paths = { "bvn-basic": "bvn", nin: "nin" } as const;
const token = "token-of-a-stand-in";

const failure = (statusCode: number, message: string) => always(statusCode, { statusCode, message });

/** QoreID, as its documentation, that of its sister VerifyMe and the programs that call it have it. */
export const qoreidStandIn: StandIn = {
  settings: { DUBA_QOREID_NAMES: "none" },
  hasCredentials: ({ headers }) => headers.authorization === `Bearer ${token}`,
  beside({ method, path, body }) {
    if (method !== "POST" || path !== "/token") return undefined;
    if (!body.clientId || !body.secret) return failure(401, "Unauthorized")();
    return { status: 200, body: { accessToken: token, expiresIn: 7200, tokenType: "Bearer" } };
  },
  asked({ method, path }) {
    const [, name = "", number = ""] = /^\/v1\/ng\/identities\/([a-z-]+)\/(\d+)$/.exec(path) ?? [];
    const kind = method === "POST" ? paths[name as keyof typeof paths] : undefined;
    return kind && { kind, number };
  },
  referenceOf: (uuid) => String(Number.parseInt(uuid.slice(0, 8), 16)),
  found(person, { kind, number, reference }, photo) {
    const { personal_info: own, residential_info: home } = person;
    const names = { firstname: own.first_name, lastname: own.last_name };
    const nin = {
      middlename: own.middle_name,
      residence: {
        address1: home.residential_address,
        lga: home.lga_of_residence,
        state: home.state_of_residence,
      },
    };
    return {
      id: Number(reference),
      applicant: names,
      summary: {
        [`${kind}_check`]: { status: "EXACT_MATCH", fieldMatches: { firstname: true, lastname: true } },
      },
      status: { state: "complete", status: "verified" },
      [kind]: {
        [kind]: number,
        ...names,
        birthdate: birthDate(person),
        gender: own.gender,
        phone: own.phone_number,
        photo,
        ...(kind === "nin" ? nin : {}),
      },
    };
  },
  failures: {
    not_found: ({ kind }) => ({
      status: 404,
      body: { code: "NOT_FOUND_ERROR", message: `${kind.toUpperCase()} provided is not found` },
    }),
    no_money: failure(402, "Insufficient wallet balance"),
    maintenance: failure(503, "Service unavailable"),
    too_many_requests: failure(429, "Too many requests"),
    no_credentials: failure(401, "Unauthorized"),
    no_route: failure(404, "Cannot POST this path"),
  },
};
