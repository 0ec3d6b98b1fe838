-- Twin of TokenBucket.java and LeakyBucket.java: the units missing from a bucket that refills at a constant rate.
--
-- state    a tag, missing units, when that was, the units of one permit, those of a microsecond, since when permits can be
--          refunded, before when that was, and the units refunded since nothing was last missing (or the places of the
--          queue): a byte and integers of 7 bytes. If the last is 0 and they fit, the others in 7, 7, 5, 3 and 5 bytes
-- numbers  weight = units of one permit; speed = units refilled in a microsecond; tag = 64, plus 1 if requests are delayed,
--          plus twice the remainder of weight + speed by 89: a wrong weight would make many permits of few units
-- mark     what was missing after the charge, plus the units refunded before it; of a queue the number of the place

--@numbers weight_ speed_ tag_

--@decode
local tag, missing, last, weight, speed, since, count
if #raw == 28 then
  tag, missing, last, weight, speed, since = unpack('<Bi7i7I5I3I5', raw)
  count = 0
elseif #raw == 43 then
  tag, missing, last, weight, speed, since, count = unpack('<Bi7i7i7i7i7i7', raw)
end

--@check
whole = tag and weight > 0 and speed > 0
  and tag - tag % 2 == 64 + 2 * math.fmod(math.fmod(weight, 89) + math.fmod(speed, 89), 89)

--@read
local missing_, last_, count_, refundableFrom_, queues_ = 0, ANCIENT, 0, ANCIENT, tag_ % 2
local raw_ = try('GET', key_)
if raw_ then
  local raw = raw_
  --@decode
  local same = tag == tag_ and weight == weight_ and speed == speed_
  local whole = same
  if not same then -- the limit was changed
    --@check
  end
  if whole and missing >= 0 and count >= 0 then
    missing_, last_, count_, refundableFrom_ = missing, last, count, last - since
    if last > now then
      --@suspect
    end
    if not same then
      if weight ~= weight_ then -- as many permits as before are missing, a part rounded up
        local part = math.fmod(missing_, weight)
        missing_ = (missing_ - part) / weight * weight_
        if part > 0 then missing_ = missing_ + math.min(weight_, math.ceil(part / weight * weight_ * (1 + 2 ^ -50))) end
        if missing_ > 2 ^ 54 then missing_ = 2 ^ 54 end -- more than any bucket holds
      end
      count_, refundableFrom_ = 0, math.max(now, last_) + 1 -- marks of another rate mean nothing
    end
  else
    --@broken
  end
end
local debt_, time_ = missing_, last_
if now > last_ then
  time_, debt_ = now, missing_ - (now - last_) * speed_
  if not (debt_ > 0) then debt_ = 0 end
end
if last_ > latest then latest = last_ end

--@inUse
--@decode
local whole
--@check
if whole then return (missing - math.max(0, now - last) * speed) / weight, last end

--@claim
local raw = raw_
--@decode
claim = last + missing / speed

--@ask
if queues_ == 1 and debt_ > 0 then
  local part = debt_ % speed_
  local gone = time_ + (debt_ - part) / speed_
  if part > 0 then gone = gone + 1 end
  if gone > departsAt then departsAt = gone end
end
admitted = admitted and debt_ + cost * weight_ <= room_ * weight_

--@charge
if latest > time_ then debt_ = math.max(0, debt_ - (latest - time_) * speed_) end
if debt_ == 0 and latest > last_ then
  count_ = 0
  if latest > refundableFrom_ then refundableFrom_ = latest end
end
missing_, last_, count_ = debt_ + cost * weight_, latest, count_ + queues_
debt_, time_ = missing_, last_
mark_ = count_
if queues_ == 0 then mark_ = missing_ + count_ end

--@write
local state_
local since_ = last_ - refundableFrom_
if count_ == 0 and since_ >= 0 and since_ < 2 ^ 40 and weight_ < 2 ^ 40 and speed_ < 2 ^ 24 then
  state_ = pack('<Bi7i7I5I3I5', tag_, missing_, last_, weight_, speed_, since_)
else
  state_ = pack('<Bi7i7i7i7i7i7', tag_, missing_, last_, weight_, speed_, since_, count_)
end
--@save

--@used
do
  local part = debt_ % weight_
  used_ = (debt_ - part) / weight_
  if part > 0 then used_ = used_ + 1 end
end

--@fresh
if missing_ > 0 then
  local part = missing_ % speed_
  freshAt_ = last_ + (missing_ - part) / speed_
  if part > 0 then freshAt_ = freshAt_ + 1 end
end

--@level
readyAt_ = missing_

--@ready
local tooMuch = debt_ + (cost - room_) * weight_
local part = tooMuch % speed_
readyAt_ = time_ + (tooMuch - part) / speed_
if part > 0 then readyAt_ = readyAt_ + 1 end

--@refund
if takenAt >= refundableFrom_ and debt_ > 0 then
  local left = mark_ - count_ -- of what was missing after the charge, time and refunds have left this
  if time_ > takenAt then left = left - (time_ - takenAt) * speed_ end
  if queues_ == 1 then
    left = 0
    if mark_ == count_ then left = debt_ end -- the last of the queue
  end
  local given, lastCharge = math.min(left, unused * weight_, debt_), false
  if given > 0 then
    if unused == cost then lastCharge = mark_ - count_ - (last_ - takenAt) * speed_ == missing_ end
    missing_, changed_ = missing_ - given, true
    if queues_ == 0 and not lastCharge then count_ = count_ + given end
    if count_ > 2 ^ 53 - room_ * weight_ then -- marks would not stay exact
      count_, refundableFrom_ = 0, time_ + 1
    end
  end
end
if queues_ == 1 and takenAt >= refundableFrom_ and mark_ == count_ and unused == cost then
  count_, changed_ = count_ - 1, true
end
