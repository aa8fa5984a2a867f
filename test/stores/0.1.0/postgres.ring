{
  "hmac": [
    {
      "version": 1,
      "key": "YoSgDnL7nSBcqsBXBzyslCVeNr8BNlsMsEmKD37CdVA="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "pa1XYcVAuyuP47JcraIsufSZ0PKWdR/shd7liB/MpZk="
    }
  ],
  "audit": "QOyUHeFohH1Q5nrtsjGptpeLbrjyuF7z1D+ImdeR23s="
}
