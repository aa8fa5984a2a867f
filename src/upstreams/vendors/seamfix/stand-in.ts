import { always, birthDate, type StandIn, type StandInAttempt } from "../../ports/stand-in.ts";

const types = { "BVN-FULL-DETAILS": "bvn", "NIN-VERIFY": "nin" } as const;

const answer = (
  { kind, number, reference }: StandInAttempt,
  [responseCode, description, verificationStatus, transactionStatus]: readonly string[],
  response: object | null = null,
) => ({
  responseCode,
  description,
  verificationType: kind === "bvn" ? "BVN-FULL-DETAILS" : "NIN-VERIFY",
  verificationStatus,
  transactionStatus,
  transactionReference: reference,
  searchParameter: number,
  callBackUrl: null,
  livenessScore: 0,
  paymentRef: null,
  response,
  faceMatch: null,
});

const failure =
  (...words: string[]) =>
  (asked: StandInAttempt) => ({ status: 200, body: answer(asked, words) });

/** Seamfix Verify, as its documentation and the programs that call it have it. It gives the money of an unknown number back. */
export const seamfixStandIn: StandIn = {
  hasCredentials: ({ headers }) => Boolean(headers.userid && headers.apikey),
  asked({ method, path, body }) {
    const isRoute = method === "POST" && path === "/sfx-verify/v3/id-service/";
    const kind = isRoute ? types[body.verificationType as keyof typeof types] : undefined;
    return kind && { kind, number: String(body.searchParameter) };
  },
  referenceOf: (_, { body }) => String(body.transactionReference),
  found(person, asked, photo) {
    const { personal_info: own, residential_info: home } = person;
    const bvn = {
      bvn: asked.number,
      nin: person.nin,
      email: own.email,
      gender: own.gender.toLowerCase(),
      dob: birthDate(person),
      phone: own.phone_number,
      alternate_phone: own.phone_number_2,
      nationality: own.nationality,
      watchlisted: person.watchlisted === "YES",
      avatar: photo,
      full_name: own.full_name,
      first_name: own.first_name,
      middle_name: own.middle_name,
      last_name: own.last_name,
      state_of_origin: own.state_of_origin,
      state_of_residence: home.state_of_residence,
      lga_of_origin: own.lga_of_origin,
      lga_of_residence: home.lga_of_residence,
      address_line_2: home.residential_address,
      marital_status: own.marital_status.toLowerCase(),
      enrollment_bank: person.enrolment_bank,
      enrollment_branch: person.enrolment_branch,
      account_level: person.level_of_account,
    };
    const nin = {
      firstName: own.first_name,
      middleName: own.middle_name,
      surname: own.last_name,
      dateOfBirth: birthDate(person),
      gender: own.gender.slice(0, 1),
      trustedNumber: own.phone_number,
      photo,
    };
    return answer(asked, ["00", "Successful", "VERIFIED", "successful"], asked.kind === "bvn" ? bvn : nin);
  },
  failures: {
    not_found: failure("02", "Record not found", "NOT VERIFIED", "Refund"),
    no_money: failure("03", "Insufficient wallet balance", "NOT VERIFIED", "failed"),
    maintenance: failure("06", "The source did not answer", "PENDING", "successful"),
    too_many_requests: always(429, { description: "Too many requests" }),
    no_credentials: failure("04", "Invalid API key", "NOT VERIFIED", "failed"),
    no_route: always(404, { description: "No such service" }),
  },
  free: ["not_found", "no_money"],
};
