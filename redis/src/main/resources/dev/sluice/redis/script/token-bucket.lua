-- Twin of TokenBucket.java and LeakyBucket.java: the units missing from a bucket that refills at a constant rate.
--
-- state    B, then missing units, when that was, the units of one permit, those of a microsecond (negative if it queues),
--          the units refunded since nothing was last missing (or the places of the queue), and since when permits can be
--          refunded: six doubles
-- numbers  weight = units of one permit; speed = units refilled in a microsecond; queues = 1 if requests are delayed
-- mark     what was missing after the charge, plus the units refunded before it; of a queue the number of the place

--@numbers weight_ speed_ queues_

--@read
local missing_, last_, count_, refundableFrom_ = 0, ANCIENT, 0, ANCIENT
local raw_ = try('GET', key_)
if raw_ then
  local tag, missing, last, weightThen, speedThen, count, refundableFrom
  if #raw_ == 49 then tag, missing, last, weightThen, speedThen, count, refundableFrom = unpack('<Bdddddd', raw_) end
  if tag == 66 and missing >= 0 and count >= 0 and weightThen > 0 and (speedThen > 0 or speedThen < 0) then
    missing_, last_, count_, refundableFrom_ = missing, last, count, refundableFrom
    if not (last <= now) then
      --@suspect
    end
    if weightThen ~= weight_ or speedThen ~= speed_ - 2 * queues_ * speed_ then -- the limit was changed
      if fmod(weightThen, 1) ~= 0 or fmod(speedThen, 1) ~= 0 then
        --@broken
      elseif weightThen ~= weight_ then -- as many permits as before are missing, a part rounded up
        local part = fmod(missing_, weightThen)
        missing_ = (missing_ - part) / weightThen * weight_
        if part > 0 then missing_ = missing_ + min(weight_, ceil(part / weightThen * weight_ * (1 + 2 ^ -50))) end
      end
      count_, refundableFrom_ = 0, max(now, last_) + 1 -- marks of another rate mean nothing
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
if #raw == 49 and byte(raw) == 66 then
  local _, missing, last, weight, speed = unpack('<Bdddd', raw)
  return (missing - max(0, now - last) * math.abs(speed)) / weight, last
end

--@claim
local _, missing, last, _, speed = unpack('<Bdddd', raw_)
claim = last + missing / math.abs(speed)

--@ask
if queues_ == 1 and debt_ > 0 then
  local part = fmod(debt_, speed_)
  local gone = time_ + (debt_ - part) / speed_
  if part > 0 then gone = gone + 1 end
  departsAt = max(departsAt, gone)
end
admitted = admitted and debt_ + cost * weight_ <= room_ * weight_

--@charge
if latest > time_ then debt_ = max(0, debt_ - (latest - time_) * speed_) end
if debt_ == 0 and latest > last_ then count_, refundableFrom_ = 0, max(refundableFrom_, latest) end
missing_, last_, count_ = debt_ + cost * weight_, latest, count_ + queues_
debt_, time_ = missing_, last_
mark_ = count_
if queues_ == 0 then mark_ = missing_ + count_ end

--@write
local state_ = pack('<Bdddddd', 66, missing_, last_, weight_, speed_ - 2 * queues_ * speed_, count_, refundableFrom_)
--@save

--@used
do
  local part = fmod(debt_, weight_)
  used_ = (debt_ - part) / weight_
  if part > 0 then used_ = used_ + 1 end
end

--@fresh
if missing_ > 0 then
  local part = fmod(missing_, speed_)
  freshAt_ = last_ + (missing_ - part) / speed_
  if part > 0 then freshAt_ = freshAt_ + 1 end
end

--@ready
local tooMuch = debt_ + (cost - room_) * weight_
local part = fmod(tooMuch, speed_)
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
  local given, lastCharge = min(left, unused * weight_, debt_), false
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
