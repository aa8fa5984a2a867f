import { always, birthDay, type StandIn, type StandInAttempt } from "../../ports/stand-in.ts";

const paths = { "/v2/api/identity/ng/bvn": "bvn", "/v2/api/identity/ng/nin": "nin" } as const;

const response = ({ kind, number, reference }: StandInAttempt, data: object) => ({
  success: true,
  statusCode: 200,
  message: "success",
  data: { id: reference, parentId: null, reason: null, isConsent: true, idNumber: number, type: kind, ...data },
  links: [],
});

const failure = (status: number, message: string, name: string) =>
  always(status, { success: false, statusCode: status, message, name });

/** Youverify, as its documentation and a public program with tests of its own have it. */
export const youverifyStandIn: StandIn = {
  settings: { DUBA_CONSENT_ATTESTED: "on" },
  hasCredentials: ({ headers }) => Boolean(headers.token),
  asked({ method, path, body }) {
    const kind = method === "POST" ? paths[path as keyof typeof paths] : undefined;
    return kind && { kind, number: String(body.id) };
  },
  referenceOf: (uuid) => uuid.replaceAll("-", "").slice(0, 24),
  found(person, asked, photo) {
    const { personal_info: own, residential_info: home } = person;
    const bvn = {
      enrollmentBank: person.enrolment_bank,
      enrollmentBranch: person.enrolment_branch,
      levelOfAccount: person.level_of_account,
      lgaOfOrigin: own.lga_of_origin,
      nameOnCard: person.name_on_card,
      nin: person.nin,
      registrationDate: person.formatted_registration_date,
      stateOfOrigin: own.state_of_origin,
      watchListed: person.watchlisted ?? "NO",
    };
    return response(asked, {
      status: "found",
      address: {
        town: null,
        lga: home.lga_of_residence,
        state: home.state_of_residence,
        addressLine: home.residential_address,
      },
      firstName: own.first_name,
      middleName: own.middle_name,
      lastName: own.last_name,
      image: `data:image/jpg;base64,${photo}`,
      mobile: own.phone_number,
      email: own.email || null,
      dateOfBirth: birthDay(person),
      gender: own.gender.slice(0, 1).toLowerCase(),
      ...(asked.kind === "bvn" ? bvn : {}),
    });
  },
  failures: {
    not_found: (asked) => ({
      status: 200,
      body: response(asked, { status: "not_found", reason: "No record was found", firstName: null, lastName: null }),
    }),
    no_money: failure(402, "Insufficient fund", "PaymentRequiredError"),
    maintenance: failure(503, "Service unavailable", "ServiceUnavailableError"),
    too_many_requests: failure(429, "Too many requests", "TooManyRequestsError"),
    no_credentials: failure(401, "Unauthorized", "UnauthorizedError"),
    no_route: failure(404, "Cannot POST this path", "NotFoundError"),
  },
};
