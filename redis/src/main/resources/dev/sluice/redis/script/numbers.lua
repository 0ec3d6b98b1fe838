-- Integers in doubles: exact up to 2^53 if every division uses an exact remainder.
-- math.fmod is exact; the % operator of Lua 5.1 is not, and neither is a rounded quotient.
-- A script has only those of these names that it uses: each takes time in every run.

local NEVER = math.huge
local ANCIENT = -math.huge
local call = redis.call
local try = redis.pcall
local pack = struct.pack
local spread = unpack
local unpack = struct.unpack
local byte = string.byte
local rep = string.rep
local fmod = math.fmod
local ceil = math.ceil
local max = math.max
local min = math.min
