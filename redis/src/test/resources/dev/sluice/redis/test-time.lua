-- Time as the caller says it, and keys that are kept for good: so that a test can be the clock.

local now = tonumber(ARGV[#ARGV])

local function keep(key, value)
  call('SET', key, value)
end

local function keepOn()
end
