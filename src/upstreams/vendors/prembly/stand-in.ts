import { always, birthDate, type StandIn, type StandInAttempt } from "../../ports/stand-in.ts";

const paths = { "/verification/bvn": "bvn", "/verification/vnin": "nin" } as const;

const told = ({ reference }: StandInAttempt, status: string, balance = 48215.5) => ({
  verification: { reference, verification_id: reference.slice(0, 8), status },
  billing_info: { was_charged: balance > 0, current_balance: balance },
});

const negative = (code: string, message: string) => (asked: StandInAttempt) => ({
  status: 200,
  body: { status: true, response_code: code, message, data: null, ...told(asked, "NOT-VERIFIED") },
});

/** Prembly, as its documentation and the programs that call it have it. */
export const premblyStandIn: StandIn = {
  hasCredentials: ({ headers }) => Boolean(headers["x-api-key"]),
  asked({ method, path, body }) {
    const kind = method === "POST" ? paths[path as keyof typeof paths] : undefined;
    return kind && { kind, number: String(body[kind === "bvn" ? "number" : "number_nin"]) };
  },
  found(person, asked, photo) {
    const { personal_info: own, residential_info: home } = person;
    const bvn = {
      bvn: asked.number,
      firstName: own.first_name,
      middleName: own.middle_name,
      lastName: own.last_name,
      dateOfBirth: own.date_of_birth,
      phoneNumber1: own.phone_number,
      phoneNumber2: own.phone_number_2,
      registrationDate: person.formatted_registration_date,
      enrollmentBank: person.enrolment_bank,
      enrollmentBranch: person.enrolment_branch,
      email: own.email,
      gender: own.gender,
      levelOfAccount: person.level_of_account,
      lgaOfOrigin: own.lga_of_origin,
      lgaOfResidence: home.lga_of_residence,
      maritalStatus: own.marital_status,
      nin: person.nin,
      nameOnCard: person.name_on_card,
      nationality: own.nationality,
      residentialAddress: home.residential_address,
      stateOfOrigin: own.state_of_origin,
      stateOfResidence: home.state_of_residence,
      watchListed: person.watchlisted,
      base64Image: photo,
    };
    const nin = {
      nin: asked.number,
      firstname: own.first_name,
      middlename: own.middle_name,
      surname: own.last_name,
      birthdate: birthDate(person),
      gender: own.gender === "Male" ? "m" : "f",
      telephoneno: own.phone_number,
      maritalstatus: own.marital_status,
      residence_AdressLine1: home.residential_address,
      residence_lga: home.lga_of_residence,
      residence_state: home.state_of_residence,
      self_origin_state: own.state_of_origin,
      self_origin_lga: own.lga_of_origin,
      photo,
    };
    return {
      status: true,
      detail: "Verification Successful",
      response_code: "00",
      ...(asked.kind === "bvn" ? { data: bvn } : { nin_data: nin }),
      ...told(asked, "VERIFIED"),
    };
  },
  failures: {
    not_found: negative("01", "Record not found. Confirm the number."),
    blocked: negative("07", "This number is watch-listed"),
    no_money: always(200, {
      status: false,
      response_code: "03",
      message: "Insufficient wallet balance",
      billing_info: { was_charged: false, current_balance: 0 },
    }),
    maintenance: always(200, {
      status: false,
      response_code: "02",
      message: "Service is not available, try again later",
    }),
    too_many_requests: always(429, { status: false, message: "Too many requests" }),
    no_credentials: always(401, { status: false, response_code: "01", message: "Invalid API key" }),
    no_route: always(404, { status: false, message: "Not found" }),
  },
  refuses: ["maintenance"],
};
