-- Twin of TokenBucket.java and LeakyBucket.java: the units missing from a bucket that refills at a constant rate.
--
-- state    B, then missing units, when that was, the units of one permit: three doubles
-- numbers  weight = units of one permit; speed = units refilled in a microsecond; queues = 1 if requests are delayed

--@numbers weight_ speed_ queues_

--@read
local missing_, last_ = 0, ANCIENT
local raw_ = call('GET', key_)
if raw_ and #raw_ == 25 then
  local tag, missing, last, weightThen = unpack('>Bddd', raw_)
  if tag == 66 then
    missing_, last_ = missing, last
    if weightThen ~= weight_ then -- the limit was changed: as many permits as before are missing, a part rounded up
      local part = fmod(missing_, weightThen)
      missing_ = (missing_ - part) / weightThen * weight_
      if part > 0 then missing_ = missing_ + min(weight_, ceil(part / weightThen * weight_ * (1 + 2 ^ -50))) end
    end
  end
end
if now > last_ then
  missing_ = missing_ - (now - last_) * speed_
  if not (missing_ > 0) then missing_ = 0 end
  last_ = now
end
if last_ > latest then latest = last_ end
if queues_ == 1 and missing_ > 0 then
  local part = fmod(missing_, speed_)
  local gone = last_ + (missing_ - part) / speed_
  if part > 0 then gone = gone + 1 end
  departsAt = max(departsAt, gone)
end
admitted = admitted and missing_ + cost * weight_ <= room_ * weight_

--@charge
if latest > last_ then missing_ = max(0, missing_ - (latest - last_) * speed_) end
missing_, last_ = missing_ + cost * weight_, latest

--@write
local state_ = pack('>Bddd', 66, missing_, last_, weight_)
--@save

--@used
local part_ = fmod(missing_, weight_)
used_ = (missing_ - part_) / weight_
if part_ > 0 then used_ = used_ + 1 end

--@fresh
if missing_ > 0 then
  local part = fmod(missing_, speed_)
  freshAt_ = last_ + (missing_ - part) / speed_
  if part > 0 then freshAt_ = freshAt_ + 1 end
end

--@ready
local tooMuch_ = missing_ + (cost - room_) * weight_
readyAt_ = last_ + (tooMuch_ - fmod(tooMuch_, speed_)) / speed_
if fmod(tooMuch_, speed_) > 0 then readyAt_ = readyAt_ + 1 end

--@refund
local units_ = cost * weight_
if last_ > takenAt then units_ = max(0, units_ - (last_ - takenAt) * speed_) end
missing_ = missing_ - min(missing_, units_)
