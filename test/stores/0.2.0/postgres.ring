{
  "hmac": [
    {
      "version": 1,
      "key": "wy9xg7BdYUtTDJ/QcndgxfPN4B/Ia5EN8VUsPp2M84g="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "8UOccPOlLy8Zh9woGvrywb4vBOAehmmryrzlJhMiwgM="
    }
  ],
  "audit": "pdSj5MtOM/+sNgXc3D+IcmTgP2soeoPPPkhH3I5hT3I="
}
