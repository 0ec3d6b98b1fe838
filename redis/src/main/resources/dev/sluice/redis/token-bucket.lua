-- Twin of TokenBucket.java and LeakyBucket.java: what is missing from a bucket that refills at a constant rate.
--
-- state    B, then missing units, when that was, the units of one permit: three doubles
-- numbers  weight = units of one permit, speed = units regained in a microsecond, queues = 1 if work is told to wait

--@numbers weight_ speed_ queues_

--@look
local missing_, last_ = 0, ANCIENT
local raw_ = call('GET', key_)
if raw_ and string.byte(raw_) == 66 then
  local weightThen
  missing_, last_, weightThen = struct.unpack('>ddd', raw_, 2)
  if weightThen ~= weight_ then -- the limit was changed: as many permits as before are missing, a part rounded up
    local part = math.fmod(missing_, weightThen)
    missing_ = (missing_ - part) / weightThen * weight_
    if part > 0 then missing_ = missing_ + min(weight_, math.ceil(part / weightThen * weight_ * (1 + 2 ^ -50))) end
  end
end
if now > last_ then
  missing_ = missing_ - (now - last_) * speed_
  if not (missing_ > 0) then missing_ = 0 end
  last_ = now
end
if last_ > latest then latest = last_ end
if queues_ == 1 and missing_ > 0 then departsAt = max(departsAt, last_ + ceilDiv(missing_, speed_)) end
admitted = admitted and missing_ + need_ * weight_ <= capacity_ * weight_

--@charge
if latest > last_ then missing_ = max(0, missing_ - (latest - last_) * speed_) end
missing_, last_ = missing_ + cost * weight_, latest

--@write
keep(key_, struct.pack('>Bddd', 66, missing_, last_, weight_), freshAt_)

--@used
used_ = ceilDiv(missing_, weight_)

--@fresh
if missing_ > 0 then freshAt_ = last_ + ceilDiv(missing_, speed_) end

--@ready
readyAt_ = last_ + ceilDiv(missing_ + (need_ - capacity_) * weight_, speed_)

--@giveBack
local units_ = cost * weight_
if last_ > takenAt then units_ = max(0, units_ - (last_ - takenAt) * speed_) end
missing_ = missing_ - min(missing_, units_)
